import type { Batch } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { batches } from "../../api/lists.ts";
import { attemptKey, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { FileField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { useSingle } from "../../ui/use-attempt.ts";

const words = t.batches.upload;
const route = getRouteApi("/shell/batches/new");

/** The CSV columns, named as the fields in the reference. */
const columns =
  "account_id, beneficiary_id, source_currency_code, destination_currency_code, source_amount or receiving_amount; optional: reference_id, max_source_amount, remittance_information, purpose_code, allow_duplicate, metadata.<key>";

/** Uploads a file of payouts for validation. Nothing is paid before the batch's approval. */
export function NewBatch() {
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [file, setFile] = useState<File>();
  // Each file selection is one attempt. Selecting the same file again therefore creates another
  // batch.
  const key = useRef("");
  const sending = useSingle({
    mutationFn: async (chosen: File) => {
      const csv = await chosen.text();
      return send<Batch>("POST", batches.path, { csv, idempotencyKey: key.current });
    },
    onSuccess: async ({ id: batchId }) => {
      await client.invalidateQueries({ queryKey: [batches.path] });
      await navigate({ to: "/batches/$batchId", params: { batchId } });
    },
  });
  const choose = (chosen: File | undefined) => {
    key.current = attemptKey();
    sending.reset();
    setFile(chosen);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file !== undefined) sending.mutate(file);
  };
  return (
    <Page title={words.title}>
      <form className="form card" onSubmit={submit}>
        <FileField
          label={words.file}
          hint={words.hint({ columns })}
          accept=".csv,text/csv"
          onChange={choose}
        />
        {sending.isError ? <ProblemNotice error={sending.error} noAnswer={words.notKnown} /> : null}
        <div>
          <button
            type="submit"
            className="button"
            data-kind="primary"
            disabled={file === undefined || sending.isPending}
          >
            {sending.isPending ? words.sending : words.send}
          </button>
        </div>
      </form>
    </Page>
  );
}
