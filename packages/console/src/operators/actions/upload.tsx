import type { JsonObject } from "@bufbuild/protobuf";
import type { UploadCommand } from "@disburse/commands/table/command.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import type { ImportListResponse } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { attemptKey } from "../../api/request.ts";
import { importList, uploadBytesMax } from "../../api/upload.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Button } from "../../ui/button.tsx";
import { FileField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { StepNotice } from "../../ui/problem-notice.tsx";
import { DataTable } from "../../ui/table.tsx";
import { differenceColumns } from "../compliance/list-changes.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { ActionFields } from "./form.tsx";
import { requestIn, sentence, titleOf, type Values, valuesFrom } from "./rules/form.ts";

const words = operatorTexts.compliance.upload;

/** The form of a list's import: compares the files first, then imports them. */
export function Upload(props: { command: UploadCommand; search: Values }) {
  const { command } = props;
  const { summary, details = "", fileNames } = command;
  // The page itself compares.
  const form = useMemo(() => {
    const { options = [] } = command;
    return { ...command, options: options.filter(({ name }) => name !== "compare") };
  }, [command]);
  const [values, setValues] = useState<Values>(() => valuesFrom(form, props.search));
  const [files, setFiles] = useState<Readonly<Record<string, File | undefined>>>({});
  const [sent, setSent] = useState<number>();
  const [imported, setImported] = useState<ImportListResponse>();
  const names = fileNames[values.format ?? ""] ?? [""];
  const send = async (more: JsonObject) => {
    const { header } = requestIn(form, values);
    const chosen = names.flatMap((name) => {
      const file = files[name];
      return file === undefined ? [] : [{ name, file }];
    });
    if (chosen.length === 0) throw new InputError(words.noFile, { label: "" });
    if (chosen.reduce((sum, { file }) => sum + file.size, 0) > uploadBytesMax) {
      throw new InputError(words.tooLarge, { label: "" });
    }
    try {
      return await importList({ ...(header as JsonObject), ...more }, chosen, setSent);
    } finally {
      setSent(undefined);
    }
  };
  const compare = useMutation({
    mutationFn: () => send({ compare_only: true, mutation: { operation_id: attemptKey() } }),
  });
  const { data: compared, error } = compare;
  const problem = error instanceof InputError ? error : undefined;
  const change = (next: Values) => {
    setValues((before) => ({ ...before, ...next }));
    // A reason doesn't change what the files contain.
    if (!("accept-drop" in next)) compare.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    compare.mutate();
  };
  const lists = <Link to="/compliance/lists">{operatorTexts.compliance.lists.title}</Link>;
  return (
    <Page title={sentence(summary)} lead={lists}>
      {imported === undefined ? null : (
        <Notice tone="good">{words.done(countsOf(imported))}</Notice>
      )}
      <form className="form card" onSubmit={submit} noValidate>
        <p className="soft">{details.replaceAll("\n", " ")}</p>
        <ActionFields
          command={form}
          values={values}
          problems={problem === undefined ? {} : { [problem.label]: problem.problem }}
          onChange={change}
        />
        {names.map((name) => (
          <FileField
            key={name}
            label={name === "" ? words.file : words.fileOf({ name: titleOf(name) })}
            onChange={(file) => {
              setFiles((before) => ({ ...before, [name]: file }));
              compare.reset();
            }}
          />
        ))}
        {problem?.label === "" ? <Notice tone="bad">{problem.problem}</Notice> : null}
        {error !== null && problem === undefined ? <StepNotice error={error} /> : null}
        <div className="row">
          <Button type="submit" kind="primary" disabled={compare.isPending || sent !== undefined}>
            {words.compare}
          </Button>
          {sent === undefined ? null : (
            <progress aria-label={words.sent} value={sent}>
              {Math.floor(sent * 100)} %
            </progress>
          )}
        </div>
      </form>
      {compared === undefined ? null : (
        <Compared
          compared={compared}
          importAs={async (operation_id) => {
            setImported(await send({ mutation: { operation_id } }));
            compare.reset();
          }}
        />
      )}
    </Page>
  );
}

/** The difference, and the step that brings the files into force. */
function Compared(props: {
  compared: ImportListResponse;
  importAs: (operationId: string) => Promise<void>;
}) {
  const { compared, importAs } = props;
  const { problem, retained: forms, differences } = compared;
  return (
    <Section title={words.difference(countsOf(compared))}>
      {problem === "" ? null : <Notice tone="warn">{problem}</Notice>}
      {forms === 0 ? null : <Notice tone="info">{words.retained({ forms })}</Notice>}
      <DataTable
        caption={words.some}
        columns={differenceColumns}
        rows={differences}
        keyOf={({ uid }) => uid}
      />
      <div>
        <ConfirmStep
          label={words.import}
          text={words.importText}
          kind="primary"
          step={({ operationId }) => importAs(operationId)}
          stale={["compliance"]}
        />
      </div>
    </Section>
  );
}

function countsOf({ change }: ImportListResponse) {
  const { added = 0, changed = 0, removed = 0 } = change ?? {};
  return { added, changed, removed };
}
