namespace Dotspot.Dtp
{
    internal sealed class TypeName
    {
        public TypeName(string assembly, string fullName)
        {
            Assembly = assembly;
            FullName = fullName;
        }

        public string Assembly { get; }

        public string FullName { get; }
    }
}
