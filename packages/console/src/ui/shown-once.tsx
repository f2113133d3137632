import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Modal } from "./dialog.tsx";

/** Shows secrets that the server returns only once. No other part of the console keeps them. */
export function ShownOnce(props: {
  title: string;
  text: string;
  done: string;
  secrets: readonly (readonly [label: string, text: string])[];
  onDone: () => void;
}) {
  const { title, text, done, secrets, onDone } = props;
  return (
    // Escape doesn't close the dialog, because the secrets can't be shown again.
    <Modal title={title} text={text} isOpen onOpenChange={() => undefined}>
      {secrets.map(([label, secret]) => (
        <div key={label} className="stack">
          <strong>{label}</strong>
          <code className="break">{secret}</code>
          <div>
            <CopyButton text={secret} />
          </div>
        </div>
      ))}
      <div>
        <Button kind="primary" onClick={onDone}>
          {done}
        </Button>
      </div>
    </Modal>
  );
}
