/* ui/use-param.ts — a part of the address as addresses.ts was given it. The router undoes only some of the escapes. */
import { useParams } from 'wouter';

export function useParam(name: string): string {
  const params = useParams<Record<string, string>>();
  const part = params[name] ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
