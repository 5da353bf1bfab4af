using System;

namespace Dotspot.Dtp
{
    /// <summary>A failure as the user sees it: the stage, one sentence with the problem and the advice, and details.</summary>
    internal sealed class StageException : Exception
    {
        /// <summary>The maximum length of details: the trace of an endless recursion has a hundred thousand lines.</summary>
        private const int MaxDetail = 20000;

        /// <summary>The maximum length of the sentence, which may quote the libraries.</summary>
        private const int MaxMessage = 2000;

        /// <summary>The length of the end of a sentence that is always kept: it has the advice.</summary>
        private const int MaxEnd = 500;

        /// <summary>A failure with its cause, whose text and stack trace become the details.</summary>
        public StageException(Stage stage, string sentence, Exception cause)
            : this(stage, sentence, cause == null ? "" : cause.ToString())
        {
        }

        /// <summary>A failure with optional details.</summary>
        public StageException(Stage stage, string sentence, string detail = "")
            : base(Bounded(OneLine(sentence)))
        {
            Stage = stage;
            Detail = detail.Length <= MaxDetail ? detail : detail.Substring(0, MaxDetail) + "…";
        }

        /// <summary>The stage that failed.</summary>
        public Stage Stage { get; }

        /// <summary>Stack traces and lists; may be empty.</summary>
        public string Detail { get; }

        /// <summary>Writes a failure as a value; null if there is none.</summary>
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

        /// <summary>A sentence of at most <see cref="MaxMessage"/> characters, without its middle if it is longer.</summary>
        private static string Bounded(string text)
        {
            return text.Length <= MaxMessage
                ? text
                : text.Substring(0, MaxMessage - MaxEnd - 1) + "…" + text.Substring(text.Length - MaxEnd);
        }

        /// <summary>A text without line breaks, which quoted messages may contain.</summary>
        private static string OneLine(string text)
        {
            return string.Join(" ", text.Split(new[] { '\r', '\n' }, StringSplitOptions.RemoveEmptyEntries));
        }
    }
}
