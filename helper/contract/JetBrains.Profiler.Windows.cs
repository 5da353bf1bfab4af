using System;
using Dotspot.StandIn;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.Profiler.Windows.Info
{
    public sealed class PerformanceInfo
    {
        public PerformanceInfo(string name, int processors, DateTime started, Guid? session)
        {
            Script.Current.Hit("PerformanceInfo");
        }
    }
}
