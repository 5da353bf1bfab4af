using System;

namespace Dotspot.Dtp
{
    /// <summary>A failure as the user sees it: the stage, one sentence about what is wrong and what to do, and details.</summary>
    internal sealed class StageException : Exception
    {
        /// <summary>How long details may be: the trace of an endless recursion has a hundred thousand lines.</summary>
        private const int MaxDetail = 20000;

        /// <summary>A failure with its cause, whose text and stack trace become the details.</summary>
        public StageException(Stage stage, string sentence, Exception cause)
            : this(stage, sentence, cause == null ? "" : cause.ToString())
        {
        }

        /// <summary>A failure with details for those who ask for them.</summary>
        public StageException(Stage stage, string sentence, string detail = "")
            : base(OneLine(sentence))
        {
            Stage = stage;
            Detail = detail.Length <= MaxDetail ? detail : detail.Substring(0, MaxDetail) + "…";
        }

        /// <summary>Where it failed.</summary>
        public Stage Stage { get; }

        /// <summary>Stack traces and lists, many lines or none.</summary>
        public string Detail { get; }

        /// <summary>A text without line breaks, which messages of the libraries may bring into a sentence.</summary>
        private static string OneLine(string text)
        {
            return string.Join(" ", text.Split(new[] { '\r', '\n' }, StringSplitOptions.RemoveEmptyEntries));
        }
    }
}
