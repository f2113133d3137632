import { useBlocker } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";

const words = t.unsaved;

/** True while a person leaves, so that a page with several forms asks once. */
let isLeaving = false;

/**
 * Asks before a person leaves a form with changes, by a link or by closing the window. Forms with a
 * draft don't need it. After sending, navigate with `ignoreBlocker: true`.
 */
export function UnsavedGuard({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => !isLeaving,
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
    withResolver: true,
  });
  const leave = () => {
    isLeaving = true;
    proceed?.();
    // The other forms are asked before this runs.
    setTimeout(() => {
      isLeaving = false;
    });
  };
  return (
    <Modal
      title={words.title}
      text={words.text}
      isOpen={status === "blocked"}
      onOpenChange={() => reset?.()}
    >
      <div className="row">
        <Button kind="primary" onClick={reset}>
          {words.stay}
        </Button>
        <Button kind="danger" onClick={leave}>
          {words.leave}
        </Button>
      </div>
    </Modal>
  );
}
