/** A voice's id as one segment of a path: one that a person typed must not lead to another endpoint. */
export function segment(voiceId: string): string {
  return /^\.+$/.test(voiceId)
    ? voiceId.replaceAll('.', '%2E')
    : encodeURIComponent(voiceId.toWellFormed());
}

/** The query of a page. */
export function pageQuery({ pageSize, pageToken }: { pageSize?: number; pageToken?: string }) {
  return { page_size: pageSize?.toString(), next_page_token: pageToken };
}
