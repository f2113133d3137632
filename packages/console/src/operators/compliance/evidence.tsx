import type { AlertFile } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { type FormEvent, type ReactNode, useState } from "react";
import { answerOf, isoOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, FileField } from "../../ui/field.tsx";
import { Moment } from "../../ui/moment.tsx";
import { StepNotice } from "../../ui/problem-notice.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";

const words = operatorTexts.compliance.alert;

const commentMax = 2_000;
const accepted = ".pdf,.png,.jpg,.jpeg,.txt,.csv";

export function Comment({ alertId }: { alertId: string }) {
  const [comment, setComment] = useState("");
  return (
    <AddForm
      label={words.addComment}
      content={comment.trim()}
      send={(mutation) => rpcs.review.commentAlert({ mutation, alertId, comment })}
      onDone={() => setComment("")}
    >
      <AreaField
        label={words.comment}
        hint={words.commentHint}
        value={comment}
        onChange={setComment}
        maxLength={commentMax}
      />
    </AddForm>
  );
}

export function Files({ files }: { files: readonly AlertFile[] }) {
  if (files.length === 0) return <p className="soft">{words.noFiles}</p>;
  return (
    <ul className="stack">
      {files.map(({ id, name, size, sha256, addedBy, createdAt }) => (
        <li key={id}>
          <a className="break" href={`/console/download/alert-files/${id}`}>
            {name}
          </a>{" "}
          <span className="soft small">
            {words.fileSize({ size: Math.ceil(size / 1_000) })} ·{" "}
            {words.by({ who: operatorName(addedBy?.id) })} · <Moment at={isoOf(createdAt)} />
          </span>
          <div className="mono soft small break">SHA-256 {sha256}</div>
        </li>
      ))}
    </ul>
  );
}

export function AddFile({ alertId }: { alertId: string }) {
  const [file, setFile] = useState<File>();
  // A new field has no file.
  const [round, setRound] = useState(0);
  return (
    <AddForm
      label={words.addFile}
      content={file === undefined ? "" : `${file.name}:${file.size}:${file.lastModified}`}
      send={async (mutation) => {
        const content = new Uint8Array((await file?.arrayBuffer()) ?? []);
        const name = file?.name ?? "";
        return rpcs.review.addAlertFile({ mutation, alertId, name, content });
      }}
      onDone={() => {
        setFile(undefined);
        setRound(round + 1);
      }}
    >
      <FileField
        key={round}
        label={words.file}
        hint={words.fileHint}
        accept={accepted}
        onChange={setFile}
      />
    </AddForm>
  );
}

/** Adds something to an alert. `content` identifies it, so that a repeat adds it once. */
function AddForm(props: {
  label: string;
  content: string;
  send: (mutation: ReturnType<typeof mutationOf>) => Promise<unknown>;
  onDone: () => void;
  children: ReactNode;
}) {
  const { label, content, send, onDone, children } = props;
  const adding = useAttempt({
    send: (_content: string, key) => answerOf(send(mutationOf(key))),
    onSuccess: async () => onDone(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate(content);
  };
  return (
    <form className="form" onSubmit={submit}>
      {children}
      <UnsavedGuard isChanged={content !== ""} />
      {adding.isError ? <StepNotice error={adding.error} /> : null}
      <div>
        <Button type="submit" disabled={content === "" || adding.isPending}>
          {adding.isPending ? t.states.working : label}
        </Button>
      </div>
    </form>
  );
}
