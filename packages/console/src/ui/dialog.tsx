import { Dialog } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { Part } from "./part.tsx";

/**
 * A modal dialog. Its content loads and fails without the page. Escape closes it. Radix' own overlay
 * isn't used, because it would add a style element, which the content security policy blocks.
 */
export function Modal(props: {
  title: string;
  text?: ReactNode;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** Shows the dialog at the bottom of the screen. */
  isSheet?: boolean;
  children: ReactNode;
}) {
  const { title, text, isOpen, onOpenChange, isSheet = false, children } = props;
  const before = useRef<Element>(null);
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content
          className={isSheet ? "dialog sheet" : "dialog"}
          onOpenAutoFocus={() => {
            before.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            focusAgain(before.current);
          }}
          {...(text === undefined ? { "aria-describedby": undefined } : {})}
        >
          <Dialog.Title>{title}</Dialog.Title>
          {text === undefined ? null : <Dialog.Description>{text}</Dialog.Description>}
          <Part>{children}</Part>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Returns the focus to the element that had it, or to the page if that element is gone. */
function focusAgain(element: Element | null): void {
  const isThere = element instanceof HTMLElement && element.isConnected;
  (isThere ? element : document.getElementById("content"))?.focus();
}
