import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { answerOf, mutationOf } from "../api/rpc.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";

/**
 * Asks an operator to confirm an action in a dialog. Each time the dialog opens, it uses a new
 * operation id.
 */
export function ConfirmStep(props: {
  label: string;
  text: ReactNode;
  kind?: "danger" | "primary" | "plain";
  step: (mutation: ReturnType<typeof mutationOf>) => Promise<unknown>;
  /** Query keys to invalidate afterwards, by their first element. */
  stale: readonly string[];
  children?: ReactNode;
  isReady?: boolean;
}) {
  const { step, stale, ...shown } = props;
  const client = useQueryClient();
  const confirm = async (attempt: string) => {
    try {
      await answerOf(step(mutationOf(attempt)));
    } finally {
      // Invalidates the queries even if the action now awaits approval.
      await Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
    }
  };
  return <ConfirmButton {...shown} confirm={confirm} />;
}
