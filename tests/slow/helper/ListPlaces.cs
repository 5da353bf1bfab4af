using System;
using System.Linq;
using System.Text;

namespace Dotspot.Dtp
{
    /// <summary>Runs the helper's search for installs on a machine that a test describes: SYSTEM ROOT RUNTIME [VARIABLE=VALUE…].</summary>
    internal static class ListPlaces
    {
        private static void Main(string[] arguments)
        {
            Console.OutputEncoding = new UTF8Encoding(false);
            var system = (OperatingSystemKind)Enum.Parse(typeof(OperatingSystemKind), arguments[0]);
            var variables = arguments.Skip(3).Select(each => each.Split(new[] { '=' }, 2)).ToDictionary(each => each[0], each => each[1]);
            var machine = new Machine(system, arguments[1], arguments[2] == "net", name => variables.ContainsKey(name) ? variables[name] : null);
            var search = InstallSearch.Run(null, machine);
            search.LookedAt.ToList().ForEach(each => Console.WriteLine("looked at " + each));
            search.Found.ToList().ForEach(each => Console.WriteLine("found " + each.Root));
            var used = search.Used;
            Contract.Assemblies.Where(each => used?.PathOf(each) != null).ToList()
                .ForEach(each => Console.WriteLine("takes " + used.PathOf(each)));
            search.Warnings.ToList().ForEach(each => Console.WriteLine("warning: " + each));
        }
    }
}
