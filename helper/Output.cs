using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Microsoft.Win32.SafeHandles;

namespace Dotspot.Dtp
{
    // A file appears only when it is complete. Any error while writing is a failure of stage output, whatever the
    // system calls it.
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

        public static Output ToStandardOutput()
        {
            return new Output(OpenStandardOutput(), null, null);
        }

        // The new file is next to the final one, which it replaces in Commit.
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

        // On Mono, a buffer that can't be flushed at exit changes the exit code, so there is none. On .NET the
        // console's own stream ignores a closed pipe, and the helper would keep walking for nobody.
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

        // A pipe or device can't be replaced by a file, and neither runtime tells it from one; the shell does.
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
            // .NET has EPIPE on Unix, Mono ERROR_WRITE_FAULT, and Windows ERROR_BROKEN_PIPE and ERROR_NO_DATA
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
