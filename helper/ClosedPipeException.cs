using System;

namespace Dotspot.Dtp
{
    /// <summary>Nobody reads standard output any more. This is no failure: the reader has seen enough.</summary>
    internal sealed class ClosedPipeException : Exception
    {
        /// <summary>The exception of the system.</summary>
        public ClosedPipeException(Exception inner)
            : base("standard output is closed", inner)
        {
        }
    }
}
