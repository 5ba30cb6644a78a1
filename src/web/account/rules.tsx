import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleView } from '../../features/mail-rules/wire.ts';
import { call, isOwner } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { ask } from '../dialog.tsx';
import { PageBody } from '../parts.tsx';
import { AddButton, EmptyCard, Loaded, Row, Rows } from '../rows.tsx';
import { listActions, listConditions, nameOfRule } from '../rule-words.ts';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';
import { RuleDryRun } from './rule-dry-run.tsx';
import { RuleForm } from './rule-form.tsx';

type Opened = { kind: 'form'; rule: RuleView | null } | { kind: 'dryRun'; rule: RuleView | null };

/** The rules of the account: their order, a form, and a dry run over stored mail. */
export default function RulesPage() {
  const t = words.rules;
  const list = useData<RuleView[]>('rules');
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const change = async (rule: RuleView, changes: Partial<RuleView>) => {
    if (await attempt(() => call('PATCH', `rules/${rule.id}`, changes))) await list.reload();
  };
  const remove = async (rule: RuleView) => {
    if (!(await isSure(rule)) || !(await attempt(() => call('DELETE', `rules/${rule.id}`)))) return;
    showToast(t.deleted);
    await list.reload();
  };
  return (
    <PageBody
      title={words.frame.places.rules}
      about={t.about}
      actions={
        <>
          {(list.data?.length ?? 0) > 1 && (
            <button type="button" class="button" onClick={() => setOpened({ kind: 'dryRun', rule: null })}>
              {t.dryRun.all}
            </button>
          )}
          <AddButton onClick={() => setOpened({ kind: 'form', rule: null })}>{t.add}</AddButton>
        </>
      }
    >
      <Loaded of={list}>
        {(rules) => (
          <RuleList
            of={rules}
            onChange={(rule, changes) => void change(rule, changes)}
            onOpen={setOpened}
            onDelete={(rule) => void remove(rule)}
          />
        )}
      </Loaded>
      {opened?.kind === 'form' && (
        <RuleForm
          rule={opened.rule}
          onClose={close}
          onSaved={() => {
            close();
            showToast(t.saved);
            void list.reload();
          }}
        />
      )}
      {opened?.kind === 'dryRun' && <RuleDryRun rule={opened.rule} onClose={close} />}
    </PageBody>
  );
}

function isSure(rule: RuleView): Promise<boolean> {
  const { title, body } = words.rules.question;
  return ask({ title: title(nameOfRule(rule)), body, action: words.frame.delete, isDanger: true });
}

interface RuleListProps {
  of: RuleView[];
  onChange: (rule: RuleView, changes: Partial<RuleView>) => void;
  onOpen: (opened: Opened) => void;
  onDelete: (rule: RuleView) => void;
}

function RuleList({ of: rules, onChange, onOpen, onDelete }: RuleListProps) {
  const t = words.rules;
  if (rules.length === 0)
    return (
      <EmptyCard icon="list" title={t.empty}>
        {t.emptyAbout}
      </EmptyCard>
    );
  return (
    <Rows label={words.frame.places.rules}>
      {rules.map((rule) => (
        <RuleRow
          key={rule.id}
          of={rule}
          isLast={rule.position === rules.length}
          isLocked={!isOwner.value && decidesSending(rule, rules)}
          onChange={(changes) => onChange(rule, changes)}
          onEdit={() => onOpen({ kind: 'form', rule })}
          onDryRun={() => onOpen({ kind: 'dryRun', rule })}
          onDelete={() => onDelete(rule)}
        />
      ))}
    </Rows>
  );
}

/** By the server's rule: this rule sends, or stops before one that does. */
function decidesSending(rule: RuleView, rules: readonly RuleView[]): boolean {
  const sends = ({ forward_to, notify }: RuleView) => forward_to.length > 0 || notify !== null;
  return sends(rule) || (rule.stop && rules.slice(rule.position).some(sends));
}

interface RuleRowProps {
  of: RuleView;
  isLast: boolean;
  /** Only an owner may change it. */
  isLocked: boolean;
  onChange: (changes: Partial<RuleView>) => void;
  onEdit: () => void;
  onDryRun: () => void;
  onDelete: () => void;
}

function RuleRow(props: RuleRowProps) {
  const { of: rule, isLocked, onDryRun } = props;
  const t = words.rules;
  const dryRun = (
    <button type="button" class="button" onClick={onDryRun}>
      {t.dryRun.start}
    </button>
  );
  return (
    <Row actions={isLocked ? dryRun : <RuleButtons {...props}>{dryRun}</RuleButtons>}>
      <p class={`flex flex-wrap items-center gap-2 font-medium ${rule.is_enabled ? '' : 'text-soft'}`}>
        <span class="wrap-anywhere">{nameOfRule(rule)}</span>
        {!rule.is_enabled && <span class="tag">{t.off}</span>}
      </p>
      <p class="mt-0.5 text-sm wrap-anywhere text-soft">{listConditions(rule).join(' · ')}</p>
      <p class="mt-0.5 text-sm wrap-anywhere">{listActions(rule).join(' · ')}</p>
      {isLocked && <p class="mt-0.5 text-sm text-soft">{t.ownersOnly}</p>}
    </Row>
  );
}

function RuleButtons({
  of: rule,
  isLast,
  onChange,
  onEdit,
  onDelete,
  children,
}: RuleRowProps & { children: ComponentChildren }) {
  const t = words.rules;
  const name = nameOfRule(rule);
  const { position, is_enabled } = rule;
  return (
    <>
      <MoveButton
        label={t.moveUp(name)}
        sign="↑"
        isOff={position === 1}
        onClick={() => onChange({ position: position - 1 })}
      />
      <MoveButton
        label={t.moveDown(name)}
        sign="↓"
        isOff={isLast}
        onClick={() => onChange({ position: position + 1 })}
      />
      <button type="button" class="button" onClick={() => onChange({ is_enabled: !is_enabled })}>
        {is_enabled ? words.frame.turnOff : words.frame.turnOn}
      </button>
      {children}
      <button type="button" class="button" aria-label={t.editOne(name)} onClick={onEdit}>
        {t.edit}
      </button>
      <button type="button" class="button" aria-label={t.deleteOne(name)} onClick={onDelete}>
        {words.frame.delete}
      </button>
    </>
  );
}

interface MoveButtonProps {
  label: string;
  sign: string;
  isOff: boolean;
  onClick: () => void;
}

function MoveButton({ label, sign, isOff, onClick }: MoveButtonProps) {
  return (
    <button
      type="button"
      class="button button-quiet button-icon"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onClick}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}
