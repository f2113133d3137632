import { Dialog } from "radix-ui";
import type { ReactNode } from "react";

/**
 * A modal dialog. Escape closes it. Radix' own overlay isn't used, because it would add a style
 * element, which the content security policy blocks.
 */
export function Modal(props: {
  title: string;
  text?: ReactNode;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
}) {
  const { title, text, isOpen, onOpenChange, children } = props;
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content
          className="dialog"
          {...(text === undefined ? { "aria-describedby": undefined } : {})}
        >
          <Dialog.Title>{title}</Dialog.Title>
          {text === undefined ? null : <Dialog.Description>{text}</Dialog.Description>}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
