using System;
using System.Collections.Generic;
using Dotspot.StandIn;
using JetBrains.Profiler.Snapshot.Section;
using JetBrains.Profiler.Snapshot.Section.Metadata;
using JetBrains.Profiler.Snapshot.Storage;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.Profiler.Snapshot.Converters
{
    public sealed class FuidToMetadataIdConverter
    {
        public FuidToMetadataIdConverter(IWriteableSnapshotStorage storage)
        {
            Script.Current.Hit("FuidToMetadataIdConverter");
        }

        // special functions have no metadata, and the converter says so in this way
        public MetadataId Convert(FunctionId function)
        {
            Script.Current.Hit("Convert");
            return Script.Current.Functions.ContainsKey(function.Value)
                ? new MetadataId(function.Value ^ 0xFFFF)
                : throw new KeyNotFoundException("no such function");
        }
    }
}

namespace JetBrains.Profiler.Snapshot.Storage.Impl
{
    public sealed class SnapshotStorage : IWriteableSnapshotStorage
    {
        public bool IsOpen => true;
    }
}

namespace JetBrains.Profiler.Snapshot.Section.Metadata.Impl
{
    public sealed class MetadataSection : IMetadataSection
    {
        public TResult ExecuteWithMetadataAssemblyProvider<TResult, TArgument>(
            Func<TArgument, IMetadataSectionAssemblyProvider, TResult> action, TArgument argument)
        {
            Script.Current.Hit("ExecuteWithMetadataAssemblyProvider");
            var provider = new Provider();
            try
            {
                return action(argument, provider);
            }
            finally
            {
                provider.IsGone = true;
            }
        }

        private sealed class Provider : IMetadataSectionAssemblyProvider
        {
            public bool IsGone;

            public string[] Find(MetadataId id)
            {
                return IsGone ? throw new ObjectDisposedException("provider") : Script.Current.Functions[id.Value ^ 0xFFFF];
            }
        }
    }
}
