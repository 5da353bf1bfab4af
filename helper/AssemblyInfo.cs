using System.Reflection;

[assembly: AssemblyTitle("dotspot-dtp")]
[assembly: AssemblyDescription("Reads dotTrace snapshots with the libraries of an installed dotTrace or Rider")]
[assembly: AssemblyVersion("0.1.0.0")]
