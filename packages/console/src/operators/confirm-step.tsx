import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { answerOf, mutationOf } from "../api/rpc.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";

/** A step of an operator behind a dialog: one opening of it is one operation. */
export function ConfirmStep(props: {
  label: string;
  text: ReactNode;
  kind?: "danger" | "primary" | "plain";
  step: (mutation: ReturnType<typeof mutationOf>) => Promise<unknown>;
  /** The first words of the keys of what is read again afterwards. */
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
      // Also where it now waits for another person.
      await Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
    }
  };
  return <ConfirmButton {...shown} confirm={confirm} />;
}
