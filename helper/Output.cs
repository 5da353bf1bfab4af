using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Microsoft.Win32.SafeHandles;

namespace Dotspot.Dtp
{
    /// <summary>
    /// Where the JSON goes: standard output, or a file that appears when it is complete and not before. What goes wrong while
    /// writing is a failure of the stage output, whatever the systems call it.
    /// </summary>
    internal sealed class Output : IDisposable
    {
        private readonly string file;
        private readonly string temporary;
        private Stream stream;

        private Output(Stream stream, string file, string temporary)
        {
            this.stream = stream;
            this.file = file;
            this.temporary = temporary;
        }

        private string Target => file ?? "standard output";

        /// <summary>Writes to standard output.</summary>
        public static Output ToStandardOutput()
        {
            return new Output(OpenStandardOutput(), null, null);
        }

        /// <summary>Writes to a new file beside the wanted one, which takes its place in <see cref="Commit"/>.</summary>
        /// <exception cref="StageException">Output: no file can be made there.</exception>
        public static Output ToFile(string file)
        {
            try
            {
                var full = Path.GetFullPath(file);
                if (full.StartsWith("/dev/", StringComparison.Ordinal) || Directory.Exists(full))
                {
                    throw new StageException(
                        Stage.Output,
                        $"{file} is no file that can be replaced; name a file, or leave --output out for standard output");
                }

                var temporary = $"{full}.{Process.GetCurrentProcess().Id}.partial";
                var stream = new FileStream(temporary, FileMode.Create, FileAccess.Write, FileShare.Read, 1);
                return new Output(stream, file, temporary);
            }
            catch (Exception e) when (Files.IsFailure(e))
            {
                throw Failed(file, e);
            }
        }

        /// <summary>Writes bytes.</summary>
        /// <exception cref="StageException">Output: they can't be written.</exception>
        /// <exception cref="ClosedPipeException">Nobody reads standard output any more.</exception>
        public void Write(byte[] bytes, int count)
        {
            try
            {
                stream.Write(bytes, 0, count);
            }
            catch (Exception e) when (Files.IsFailure(e))
            {
                if (file == null && IsClosedPipe(e))
                {
                    throw new ClosedPipeException(e);
                }

                throw Failed(Target, e);
            }
        }

        /// <summary>Ends the output; a file takes its place now.</summary>
        /// <exception cref="StageException">Output: it can't.</exception>
        public void Commit()
        {
            try
            {
                stream.Flush();
                if (file == null)
                {
                    return;
                }

                stream.Dispose();
                stream = null;
                var full = Path.GetFullPath(file);
                if (File.Exists(full))
                {
                    File.Replace(temporary, full, null);
                }
                else
                {
                    File.Move(temporary, full);
                }
            }
            catch (Exception e) when (Files.IsFailure(e))
            {
                throw Failed(Target, e);
            }
        }

        /// <summary>Removes what was written to a file that was not committed.</summary>
        public void Dispose()
        {
            if (file == null)
            {
                return;
            }

            try
            {
                stream?.Dispose();
                File.Delete(temporary);
            }
            catch (Exception e) when (Files.IsFailure(e))
            {
                // the failure that led here is the one to tell
            }
        }

        /// <summary>
        /// Standard output without a buffer: on Mono a buffer that can't be flushed at exit changes the exit code. On .NET the
        /// console's own stream passes over a closed pipe in silence, and the helper would walk on for nobody.
        /// </summary>
        private static Stream OpenStandardOutput()
        {
            if (Path.DirectorySeparatorChar == '/')
            {
                try
                {
                    return new FileStream(new SafeFileHandle((IntPtr)1, false), FileAccess.Write, 1);
                }
                catch (Exception e) when (Files.IsFailure(e))
                {
                    // Mono opens no handle that it did not make itself
                }
            }

            return Console.OpenStandardOutput();
        }

        private static bool IsClosedPipe(Exception e)
        {
            // EPIPE as .NET has it on Unix, ERROR_WRITE_FAULT as Mono calls it, ERROR_BROKEN_PIPE and ERROR_NO_DATA of Windows
            var codes = new[] { 32, unchecked((int)0x8007001D), unchecked((int)0x8007006D), unchecked((int)0x800700E8) };
            return codes.Contains(e.HResult);
        }

        private static StageException Failed(string target, Exception e)
        {
            return new StageException(
                Stage.Output,
                $"{target} can't be written: {e.Message.TrimEnd('.')}; check the free space and the permissions",
                e);
        }
    }
}
