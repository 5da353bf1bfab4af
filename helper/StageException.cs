using System;

namespace Dotspot.Dtp
{
    internal sealed class StageException : Exception
    {
        // The trace of an endless recursion has a hundred thousand lines.
        private const int MaxDetail = 20000;

        // The sentence may quote the libraries.
        private const int MaxMessage = 2000;

        // The end of a sentence is always kept, since it has the advice.
        private const int MaxEnd = 500;

        public StageException(Stage stage, string sentence, Exception cause)
            : this(stage, sentence, cause == null ? "" : cause.ToString())
        {
        }

        public StageException(Stage stage, string sentence, string detail = "")
            : base(Bounded(OneLine(sentence)))
        {
            Stage = stage;
            Detail = detail.Length <= MaxDetail ? detail : detail.Substring(0, MaxDetail) + "…";
        }

        public Stage Stage { get; }

        public string Detail { get; }

        public static void Write(JsonWriter json, StageException failure)
        {
            if (failure == null)
            {
                json.Value(null);
                return;
            }

            json.StartObject();
            json.Member("stage", failure.Stage.ToString().ToLowerInvariant());
            json.Member("message", failure.Message);
            json.Member("detail", failure.Detail);
            json.EndObject();
        }

        private static string Bounded(string text)
        {
            return text.Length <= MaxMessage
                ? text
                : text.Substring(0, MaxMessage - MaxEnd - 1) + "…" + text.Substring(text.Length - MaxEnd);
        }

        // Quoted messages may contain line breaks.
        private static string OneLine(string text)
        {
            return string.Join(" ", text.Split(new[] { '\r', '\n' }, StringSplitOptions.RemoveEmptyEntries));
        }
    }
}
