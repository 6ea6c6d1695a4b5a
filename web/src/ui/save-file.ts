/* ui/save-file.ts — gives the reader a text as a file. */

const NAME_MAX = 80;

/** A name that every file system takes: letters, digits, dots and dashes. */
export function fileName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+/, '')
    .slice(-NAME_MAX);
}

export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(name);
  link.click();
  URL.revokeObjectURL(url);
}
