import type { ComponentProps } from "react";
import { answerOf, mutationOf } from "../api/rpc.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";

type Step = (mutation: ReturnType<typeof mutationOf>) => Promise<unknown>;

/** Asks an operator to confirm an action. Each opening of the dialog is one operation. */
export function ConfirmStep(
  props: Omit<ComponentProps<typeof ConfirmButton>, "confirm"> & { step: Step },
) {
  const { step, ...shown } = props;
  return <ConfirmButton {...shown} confirm={(attempt) => answerOf(step(mutationOf(attempt)))} />;
}
