using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Microsoft.Win32.SafeHandles;

namespace Dotspot.Dtp
{
    /// <summary>
    /// Where the JSON goes: standard output, or a file that appears only when it is complete. Any error while
    /// writing is a failure of stage output, whatever the system calls it.
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

        /// <summary>Writes to a new file next to the final one, which it replaces in <see cref="Commit"/>.</summary>
        /// <exception cref="StageException">Output: no file can be created there.</exception>
        public static Output ToFile(string file)
        {
            try
            {
                var full = Path.GetFullPath(file);
                if (Path.GetDirectoryName(full) == "/dev" || Directory.Exists(full) || !IsRegularOrNew(full))
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

        /// <summary>Completes the output; a file is moved into place.</summary>
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
                // the failure that led here is the one to report
            }
        }

        /// <summary>
        /// Standard output without a buffer: on Mono a buffer that can't be flushed at exit changes the exit code. On .NET the
        /// console's own stream ignores a closed pipe, and the helper would keep walking for nobody.
        /// </summary>
        private static Stream OpenStandardOutput()
        {
            if (Path.DirectorySeparatorChar == '/')
            {
                try
                {
                    var stream = new FileStream(new SafeFileHandle((IntPtr)1, false), FileAccess.Write, 1);
                    // in a file, this would write at its own position and overwrite what others have written meanwhile
                    if (!stream.CanSeek)
                    {
                        return stream;
                    }
                }
                catch (Exception e) when (Files.IsFailure(e))
                {
                    // Mono opens no handle that it did not make itself
                }
            }

            return Console.OpenStandardOutput();
        }

        /// <summary>
        /// Whether a file can replace what is there. An existing pipe or device can't be replaced, and neither runtime distinguishes it
        /// from a file; the shell does.
        /// </summary>
        private static bool IsRegularOrNew(string path)
        {
            if (Path.DirectorySeparatorChar != '/' || !File.Exists(path))
            {
                return true;
            }

            try
            {
                var start = new ProcessStartInfo("/bin/sh", "-c \"test -f \\\"$DOTSPOT_FILE\\\"\"") { UseShellExecute = false };
                start.EnvironmentVariables["DOTSPOT_FILE"] = path;
                using (var shell = Process.Start(start))
                {
                    shell.WaitForExit();
                    return shell.ExitCode == 0;
                }
            }
            catch (Win32Exception)
            {
                // without a shell, assume what is most likely
                return true;
            }
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
