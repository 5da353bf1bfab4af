using System;

namespace Dotspot.Dtp
{
    /// <summary>A failure as the user sees it: the stage, one sentence about what is wrong and what to do, and details.</summary>
    internal sealed class StageException : Exception
    {
        /// <summary>A failure with its cause, whose text and stack trace become the details.</summary>
        public StageException(Stage stage, string sentence, Exception cause)
            : this(stage, sentence, cause == null ? "" : cause.ToString())
        {
        }

        /// <summary>A failure with details for those who ask for them.</summary>
        public StageException(Stage stage, string sentence, string detail = "")
            : base(sentence)
        {
            Stage = stage;
            Detail = detail;
        }

        /// <summary>Where it failed.</summary>
        public Stage Stage { get; }

        /// <summary>Stack traces and lists, many lines or none.</summary>
        public string Detail { get; }
    }
}
