import { useBlocker } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";

const words = t.unsaved;

/**
 * Asks before a person leaves a form with changes, by a link or by closing the window. Forms with a
 * draft don't need it. After sending, navigate with `ignoreBlocker: true`.
 */
export function UnsavedGuard({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => true,
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
    withResolver: true,
  });
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
        <Button kind="danger" onClick={proceed}>
          {words.leave}
        </Button>
      </div>
    </Modal>
  );
}
