using System.IO;
using System.Text;

namespace Dotspot.Dtp
{
    /// <summary>Standard error for the libraries, which knows whether their last output ended with a line break.</summary>
    internal sealed class ErrorStream : TextWriter
    {
        private readonly TextWriter inner;
        private volatile char last = '\n';

        /// <summary>Forwards everything to a writer.</summary>
        public ErrorStream(TextWriter inner)
        {
            this.inner = inner;
        }

        /// <summary>Whether the next character would be the first of a line.</summary>
        public bool IsAtStartOfLine => last == '\n';

        /// <inheritdoc/>
        public override Encoding Encoding => inner.Encoding;

        /// <inheritdoc/>
        public override void Write(char value)
        {
            inner.Write(value);
            last = value;
        }

        /// <inheritdoc/>
        public override void Write(char[] buffer, int index, int count)
        {
            inner.Write(buffer, index, count);
            last = count > 0 ? buffer[index + count - 1] : last;
        }

        /// <inheritdoc/>
        public override void Write(string value)
        {
            inner.Write(value);
            last = string.IsNullOrEmpty(value) ? last : value[value.Length - 1];
        }

        /// <inheritdoc/>
        public override void Flush()
        {
            inner.Flush();
        }
    }
}
