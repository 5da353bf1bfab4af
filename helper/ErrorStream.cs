using System.IO;
using System.Text;

namespace Dotspot.Dtp
{
    // This knows whether the last output of the libraries ended with a line break.
    internal sealed class ErrorStream : TextWriter
    {
        private readonly TextWriter inner;
        private volatile char last = '\n';

        public ErrorStream(TextWriter inner)
        {
            this.inner = inner;
        }

        public bool IsAtStartOfLine => last == '\n';

        public override Encoding Encoding => inner.Encoding;

        public override void Write(char value)
        {
            inner.Write(value);
            last = value;
        }

        public override void Write(char[] buffer, int index, int count)
        {
            inner.Write(buffer, index, count);
            last = count > 0 ? buffer[index + count - 1] : last;
        }

        public override void Write(string value)
        {
            inner.Write(value);
            last = string.IsNullOrEmpty(value) ? last : value[value.Length - 1];
        }

        public override void Flush()
        {
            inner.Flush();
        }
    }
}
