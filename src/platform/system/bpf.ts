import { ptr } from 'bun:ffi';

/*
 * Programs of the classic Berkeley Packet Filter, which the kernel runs on a packet of a socket (socket(7), SO_ATTACH_FILTER) or
 * on a system call of a process (seccomp(2)).
 */

/** struct sock_filter. The two jumps are counted from the next instruction. */
export type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const INSTRUCTION_BYTES = 8;

/** A program in memory, for the kernel to copy (struct sock_fprog). */
export class BpfProgram {
  readonly program: BigUint64Array;
  /** Kept, because the program only has its address. */
  private readonly code: Uint8Array;

  constructor(instructions: readonly Instruction[]) {
    const code = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
    for (const [place, [operation, ifTrue, ifFalse, operand]] of instructions.entries()) {
      const at = place * INSTRUCTION_BYTES;
      code.writeUInt16LE(operation, at);
      code.writeUInt8(ifTrue, at + 2);
      code.writeUInt8(ifFalse, at + 3);
      code.writeUInt32LE(operand, at + 4);
    }
    this.code = new Uint8Array(code);
    this.program = new BigUint64Array([BigInt(instructions.length), BigInt(ptr(this.code))]);
  }
}
