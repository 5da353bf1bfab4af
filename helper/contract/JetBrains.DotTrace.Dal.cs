using System;
using Dotspot.StandIn;
using JetBrains.Profiler.Snapshot.Storage;
using JetBrains.Profiler.Snapshot.Storage.Impl;
using JetBrains.Util;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.dotTrace.Snapshot.Performance
{
    public static class OpenSnapshotWithRealtimeData
    {
        public static IWriteableSnapshotStorage OpenSnapshot(FileSystemPath path, bool isReadOnly)
        {
            throw new NotSupportedException("needs two arguments");
        }

        public static IWriteableSnapshotStorage OpenSnapshot(FileSystemPath path)
        {
            Script.Current.Hit("OpenSnapshot");
            return new SnapshotStorage();
        }
    }
}
