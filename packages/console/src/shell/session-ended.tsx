import { t } from "../catalogue/texts.ts";
import { openSignIn } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";

const words = t.shell.ended;

/** Asks for a sign-in over the page, which keeps its input. */
export function SessionEnded({ isOpen }: { isOpen: boolean }) {
  return (
    <Modal title={words.title} text={words.text} isOpen={isOpen} onOpenChange={() => undefined}>
      <div>
        <Button kind="primary" onClick={() => openSignIn()}>
          {t.shell.signIn.button}
        </Button>
      </div>
    </Modal>
  );
}
