import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { attemptKey } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";
import { StepNotice } from "./problem-notice.tsx";
import { toast } from "./toasts.tsx";
import { useSingle } from "./use-attempt.ts";

/**
 * A button that asks for confirmation and explains the effect. Each opening of the dialog is one
 * attempt. A retry in the same dialog repeats that attempt.
 */
export function ConfirmButton(props: {
  label: string;
  text: ReactNode;
  kind?: "danger" | "primary" | "plain";
  /** Returns `proposed` if another person has to approve the change first. */
  confirm: (idempotencyKey: string) => Promise<unknown>;
  children?: ReactNode;
  isReady?: boolean;
}) {
  const { label, text, kind = "danger", confirm, children, isReady = true } = props;
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const key = useRef("");
  const doing = useSingle({
    mutationFn: () => confirm(key.current),
    onSuccess: (answer) => {
      setOpen(false);
      if (answer !== "proposed") toast(t.states.done({ label }));
    },
  });
  const change = (open: boolean) => {
    if (open) {
      key.current = attemptKey();
      doing.reset();
    } else if (doing.isError) {
      // The error may come from a newer state.
      void client.invalidateQueries();
    }
    setOpen(open);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    doing.mutate();
  };
  return (
    <>
      <Button kind={kind === "plain" ? undefined : kind} onClick={() => change(true)}>
        {label}
      </Button>
      <Modal title={label} text={text} isOpen={isOpen} onOpenChange={change}>
        <form className="form" onSubmit={submit} noValidate>
          {children}
          {doing.isError ? <StepNotice error={doing.error} /> : null}
          <div className="row">
            <Button
              type="submit"
              kind={kind === "plain" ? "primary" : kind}
              disabled={doing.isPending || !isReady}
            >
              {doing.isPending ? t.states.working : label}
            </Button>
            <Button onClick={() => change(false)}>{t.actions.cancel}</Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
