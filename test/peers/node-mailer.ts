/** nodemailer under Node: the library, and the runtime, that most programs for Node send mail with. */
import { haveTool, runTool } from './tools.ts';

export const haveNode = () => haveTool('node');

export interface NodeMail {
  /** nodemailer's transport options, besides host and certificate checks. */
  transport: { port: number; secure?: boolean; requireTLS?: boolean; auth?: { user: string; pass: string } };
  /** nodemailer's message. */
  message: Record<string, unknown>;
}

export interface NodeMailResult {
  accepted: string[];
  rejected: string[];
  /** The server's last reply, or the error. */
  response: string;
  /** The reply code of a refusal. */
  response_code: number | null;
}

export async function sendUnderNode(mail: NodeMail): Promise<NodeMailResult> {
  const script = `${import.meta.dir}/send-under-node.mjs`;
  const { output } = await runTool(['node', script], JSON.stringify(mail));
  try {
    return JSON.parse(output) as NodeMailResult;
  } catch {
    throw new Error(`nodemailer under Node did not work: ${output}`);
  }
}
