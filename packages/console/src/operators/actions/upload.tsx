import type { JsonObject } from "@bufbuild/protobuf";
import type { UploadCommand } from "@disburse/commands/table/command.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import type { ImportListResponse } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { attemptKey } from "../../api/request.ts";
import { importList, uploadBytesMax } from "../../api/upload.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { FileField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { DataTable } from "../../ui/table.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { differenceColumns } from "../compliance/list-changes.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { ActionForm } from "./form.tsx";
import { requestIn, sentence, titleOf, type Values, valuesFrom } from "./rules/form.ts";

const words = operatorTexts.compliance.upload;

/** The form of a list's import: compares the files first, then imports them. */
export function Upload(props: { command: UploadCommand; search: Values }) {
  const { command } = props;
  // The page itself compares.
  const form = useMemo(() => {
    const { options = [] } = command;
    return { ...command, options: options.filter(({ name }) => name !== "compare") };
  }, [command]);
  const [values, setValues] = useState<Values>(() => valuesFrom(form, props.search));
  const [files, setFiles] = useState<Readonly<Record<string, File | undefined>>>({});
  const [sent, setSent] = useState<number>();
  const [imported, setImported] = useState<ImportListResponse>();
  const [isChanged, setChanged] = useState(false);
  const names = command.fileNames[values.format ?? ""] ?? [""];
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
  const change = (next: Values) => {
    setValues((before) => ({ ...before, ...next }));
    setChanged(true);
    // A reason doesn't change what the files contain.
    if (!("accept-drop" in next)) compare.reset();
  };
  const choose = (name: string) => (file: File | undefined) => {
    setFiles((before) => ({ ...before, [name]: file }));
    change({});
  };
  const importAs = async (operation_id: string) => {
    setImported(await send({ mutation: { operation_id } }));
    setChanged(false);
    compare.reset();
  };
  const lists = <Link to="/compliance/lists">{t.shell.pages.lists}</Link>;
  return (
    <Page title={sentence(command.summary)} lead={lists}>
      {imported === undefined ? null : (
        <Notice tone="good">{words.done(countsOf(imported))}</Notice>
      )}
      <ActionForm
        {...{ command: form, values, error: compare.error, onChange: change }}
        onSubmit={() => compare.mutate()}
        buttons={
          <>
            <Button type="submit" kind="primary" disabled={compare.isPending || sent !== undefined}>
              {words.compare}
            </Button>
            {sent === undefined ? null : (
              <progress aria-label={words.sent} value={sent}>
                {Math.floor(sent * 100)} %
              </progress>
            )}
          </>
        }
      >
        {names.map((name) => (
          <FileField
            key={name}
            label={name === "" ? words.file : words.fileOf({ name: titleOf(name) })}
            onChange={choose(name)}
          />
        ))}
      </ActionForm>
      <UnsavedGuard isChanged={isChanged} />
      {compare.data === undefined ? null : <Compared {...compare.data} importAs={importAs} />}
    </Page>
  );
}

/** The difference, and the step that brings the files into force. */
function Compared(props: ImportListResponse & { importAs: (key: string) => Promise<void> }) {
  const { problem, retained: forms, differences, importAs } = props;
  return (
    <Section title={words.difference(countsOf(props))}>
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
        />
      </div>
    </Section>
  );
}

function countsOf({ change }: ImportListResponse) {
  const { added = 0, changed = 0, removed = 0 } = change ?? {};
  return { added, changed, removed };
}
