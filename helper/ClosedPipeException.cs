using System;

namespace Dotspot.Dtp
{
    // Nobody reads standard output any more. This is no failure: the reader has seen enough.
    internal sealed class ClosedPipeException : Exception
    {
        public ClosedPipeException(Exception inner)
            : base("standard output is closed", inner)
        {
        }
    }
}
