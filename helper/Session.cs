using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Dotspot.Dtp
{
    internal sealed class Session : IDisposable
    {
        private readonly Bindings bindings;
        private object definition;
        private bool hasInfo;

        private Session(Bindings bindings)
        {
            this.bindings = bindings;
        }

        public decimal TicksPerSecond { get; private set; }

        public object Root { get; private set; }

        // A metadata section is looked for here, in the most specific object first.
        public IReadOnlyList<object> Parts { get; private set; }

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
                throw session.Explain(e, file, binder);
            }
            catch (Exception e) when (Reflect.IsLoading(Reflect.Unwrap(e)))
            {
                session.Dispose();
                var cause = Reflect.Unwrap(e);
                var problem = $"with the libraries in {binder.Folders} a parameter has a type that can't be loaded: {cause.Message.TrimEnd('.')}{binder.UnresolvedNote}";
                throw binder.Unfit(problem, cause.ToString());
            }
            catch (Exception)
            {
                session.Dispose();
                throw;
            }
        }

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
            var info = MakeInfo();
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

        // Nothing is known of the profiled run, so defaults are used, or null if nothing can be made.
        private object MakeInfo()
        {
            hasInfo = bindings.NewInfo != null || bindings.Info.IsValueType;
            return bindings.NewInfo != null ? Reflect.New(bindings.NewInfo, Reflect.Arguments(bindings.NewInfo))
                : hasInfo ? Activator.CreateInstance(bindings.Info)
                : null;
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

        private StageException Explain(CallException e, SnapshotFile file, Binder binder)
        {
            var member = $"{Reflect.Describe(e.Member)} in {Library.Describe(e.Member.DeclaringType.Assembly)}";
            var cause = e.InnerException;
            var message = cause.Message.TrimEnd('.');
            if (Reflect.IsLoading(cause))
            {
                return binder.Unfit($"{member} does not fit the libraries beside it: {message}{binder.UnresolvedNote}", cause.ToString());
            }

            // no part of the snapshot was passed to these
            if (e.Member == bindings.DefineLifetime || e.Member == bindings.NewInfo)
            {
                return binder.Unfit($"{member} refuses its default arguments: {Reflect.Describe(cause)}", cause.ToString());
            }

            var isNullRefused = cause is ArgumentNullException || cause is NullReferenceException;
            if (e.Member == bindings.NewSnapshot && !hasInfo && isNullRefused)
            {
                return binder.Unfit(
                    $"{member} wants a {bindings.Info.FullName}, which has no public constructor: {Reflect.Describe(cause)}",
                    cause.ToString());
            }

            var detail = cause + "\n" + binder.Inventory;
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
