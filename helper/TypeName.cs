namespace Dotspot.Dtp
{
    /// <summary>The full name of a type and the assembly in which it should be.</summary>
    internal sealed class TypeName
    {
        /// <summary>A type's names.</summary>
        public TypeName(string assembly, string fullName)
        {
            Assembly = assembly;
            FullName = fullName;
        }

        /// <summary>The simple name of the assembly. Other assemblies are searched too: types move between releases.</summary>
        public string Assembly { get; }

        /// <summary>The name with its namespace.</summary>
        public string FullName { get; }
    }
}
