/// One thing a line says, and how it is coloured.
///
/// Its text is harmless for a terminal already.
struct Detail: Equatable {
    let text: String
    let style: Paint.Style?

    init(_ text: String, _ style: Paint.Style? = nil) {
        self.text = text
        self.style = style
    }
}
