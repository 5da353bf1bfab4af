using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Dotspot.Dtp
{
    /// <summary>A snapshot that JetBrains' libraries have opened.</summary>
    internal sealed class Session : IDisposable
    {
        private readonly Bindings bindings;
        private object definition;

        private Session(Bindings bindings)
        {
            this.bindings = bindings;
        }

        /// <summary>Ticks per second, above 0.</summary>
        public decimal TicksPerSecond { get; private set; }

        /// <summary>The synthetic node above all threads.</summary>
        public object Root { get; private set; }

        /// <summary>The objects that know the snapshot, the most specific first: where a metadata section is looked for.</summary>
        public IReadOnlyList<object> Parts { get; private set; }

        /// <summary>Opens a snapshot.</summary>
        /// <exception cref="StageException">
        /// Input: it can't be read; layout: the libraries refuse it; bind: the libraries don't fit together.
        /// </exception>
        public static Session Open(SnapshotFile file, Bindings bindings, Binder binder)
        {
            var session = new Session(bindings);
            try
            {
                session.Open(Path.GetFullPath(file.Path));
                return session;
            }
            catch (CallException e)
            {
                session.Dispose();
                throw Explain(e, file, binder);
            }
            catch (Exception)
            {
                session.Dispose();
                throw;
            }
        }

        /// <summary>Closes what was opened.</summary>
        public void Dispose()
        {
            if (definition == null)
            {
                return;
            }

            try
            {
                Reflect.Call(bindings.Terminate, definition);
            }
            catch (CallException)
            {
                // the result or the failure is known by now, and the process ends next
            }

            definition = null;
        }

        private void Open(string fullPath)
        {
            var path = Reflect.Call(bindings.PathFromText, null, fullPath);
            var storage = Reflect.Call(bindings.OpenSnapshot, null, Reflect.Arguments(bindings.OpenSnapshot, path));
            var reader = Reflect.New(bindings.NewReader, storage);
            definition = Reflect.Call(bindings.DefineLifetime, null, Reflect.Arguments(bindings.DefineLifetime));
            var lifetime = Reflect.Get(bindings.DefinedLifetime, definition);
            var info = Reflect.New(bindings.NewInfo, Reflect.Arguments(bindings.NewInfo));
            // the two texts name the snapshot and its origin in dotTrace's window
            var snapshot = Reflect.New(bindings.NewSnapshot, lifetime, path, reader, info, "dotspot", "dotspot");
            Parts = new[] { snapshot, reader, storage };
            TicksPerSecond = Resolution(Reflect.Get(bindings.TimeResolution, snapshot));
            Root = Reflect.Get(bindings.Root, snapshot);
            if (Root == null)
            {
                throw new StageException(
                    Stage.Layout, $"{Reflect.Describe(bindings.Root)} gives no tree; a newer dotTrace or Rider may read the snapshot");
            }
        }

        private decimal Resolution(object value)
        {
            decimal resolution;
            try
            {
                resolution = Convert.ToDecimal(value, CultureInfo.InvariantCulture);
            }
            catch (OverflowException)
            {
                resolution = 0;
            }

            return resolution > 0
                ? resolution
                : throw new StageException(
                    Stage.Layout,
                    string.Format(
                        CultureInfo.InvariantCulture,
                        "{0} is {1}, expected the ticks in a second; a newer dotTrace or Rider may read the snapshot",
                        Reflect.Describe(bindings.TimeResolution),
                        value));
        }

        private static StageException Explain(CallException e, SnapshotFile file, Binder binder)
        {
            var member = $"{Reflect.Describe(e.Member)} in {Library.Describe(e.Member.DeclaringType.Assembly)}";
            var cause = e.InnerException;
            var message = cause.Message.TrimEnd('.');
            var detail = cause + "\n" + binder.Inventory;
            if (Reflect.IsLoading(cause))
            {
                return new StageException(
                    Stage.Bind,
                    $"{member} does not fit the libraries beside it: {message}{binder.UnresolvedNote}; "
                        + "give the folder of a complete Rider or dotTrace with --dottrace-dir",
                    detail);
            }

            if (cause is IOException || cause is UnauthorizedAccessException)
            {
                return new StageException(
                    Stage.Input, $"{member} can't read {file.Path}: {message}; check the files of the snapshot", detail);
            }

            var kind = file.IsTimeline ? "the timeline snapshot " : "";
            return new StageException(
                Stage.Layout,
                $"{member} can't open {kind}{file.Path}: {Reflect.Describe(cause)}; a newer dotTrace or Rider may read it",
                detail);
        }
    }
}
