import { useIsFetching } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * Renders its children, and loads their code, when a person sees their place. The content above
 * is read first, because it moves this place down.
 */
export function WhenSeen({ children }: { children: ReactNode }) {
  const [isSeen, setSeen] = useState(false);
  const isRead = useIsFetching() === 0;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isRead || place.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isRead]);
  return isSeen ? children : <div ref={place} className="unseen" />;
}
