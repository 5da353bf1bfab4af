using Dotspot.StandIn;
using JetBrains.Profiler.Snapshot.Section.Metadata;
using JetBrains.Profiler.Snapshot.Section.Metadata.Impl;
using JetBrains.Profiler.Snapshot.Storage;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.dotTrace.Snapshot.Performance
{
    public sealed class PerformanceSnapshotReader
    {
        public PerformanceSnapshotReader(IWriteableSnapshotStorage storage)
        {
            Script.Current.Hit("PerformanceSnapshotReader");
        }

        public IMetadataSection MetadataSection
        {
            get
            {
                Script.Current.Hit("MetadataSection");
                return Script.Current.HasMetadata ? new MetadataSection() : null;
            }
        }
    }
}
