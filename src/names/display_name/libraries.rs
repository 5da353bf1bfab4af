//! Code from packages: libraries, UI frameworks, test hosts. A row is a module without an extension, or the namespace
//! of names without a module; it ends at a `.`, `-` or `+`. `--user-code PREFIX` corrects this.

/// Microsoft's packages begin with `Microsoft` or `System` and need no row.
#[rustfmt::skip]
pub(super) const LIBRARIES: &[&str] = &[
    // user interfaces and devices
    "Avalonia", "Caliburn", "CommunityToolkit", "DevExpress", "DynamicData", "ElmSharp", "GalaSoft", "HarfBuzzSharp",
    "Infragistics", "Java.Interop", "Mono", "MonoGame", "MvvmCross", "OpenTK", "Prism", "ReactiveUI", "SkiaSharp", "Splat",
    "Syncfusion", "Telerik", "Tizen", "Uno.UI", "UnityEditor", "UnityEngine", "Xamarin",
    "Cassandra", "Couchbase", "Dapper", "Devart", "EFCore", "EntityFramework", "FirebirdSql", "FluentMigrator",
    "FluentNHibernate", "Iesi.Collections", "LinqToDB", "linq2db", "LiteDB", "Marten", "MongoDB", "MySql", "MySqlConnector",
    "Neo4j", "NHibernate", "Npgsql", "Oracle", "Pomelo", "Raven", "Remotion", "SQLite", "SQLitePCL", "SQLitePCLRaw",
    "ServiceStack", "StackExchange", "Z.EntityFramework",
    "AWSSDK", "Amazon", "Akka", "Azure", "Confluent", "Consul", "Dapr", "DotNetCore.CAP", "Elastic", "Elasticsearch",
    "EasyNetQ", "Google", "Grpc", "Hangfire", "HotChocolate", "GraphQL", "MQTTnet", "MassTransit", "Minio", "NATS",
    "NServiceBus", "Nest", "NetMQ", "Ocelot", "Orleans", "Pulsar", "Quartz", "RabbitMQ", "Rebus", "Steeltoe", "Topshelf",
    "Yarp",
    "Carter", "Duende", "FastEndpoints", "Flurl", "IdentityModel", "IdentityServer4", "NSwag", "Nancy", "OpenIddict", "Owin",
    "Refit", "RestEase", "RestSharp", "Swashbuckle",
    "AngleSharp", "Antlr4", "ClosedXML", "CsvHelper", "DocumentFormat", "EPPlus", "OfficeOpenXml", "HtmlAgilityPack",
    "ICSharpCode", "ImageMagick", "K4os", "Magick.NET", "Markdig", "MessagePack", "MimeKit", "MailKit", "NPOI", "Newtonsoft",
    "PdfSharp", "ProtoBuf", "protobuf-net", "QuestPDF", "Scriban", "SharpCompress", "SixLabors", "Tomlyn", "Utf8Json",
    "YamlDotNet", "ZstdSharp", "iText",
    "Ardalis", "AutoMapper", "Autofac", "Castle", "ConcurrentCollections", "DryIoc", "FluentResults", "FluentValidation",
    "FSharpPlus", "FsToolkit", "Giraffe", "Humanizer", "JetBrains", "Lamar", "LanguageExt", "LightInject", "Mapster",
    "MediatR", "MoreLinq", "Ninject", "NodaTime", "OneOf", "Org.BouncyCastle", "BouncyCastle", "Polly", "Scrutor",
    "SimpleInjector", "StructureMap", "Superpower", "UnitsNet", "Unity.Container", "Unity.Abstractions",
    "App.Metrics", "BenchmarkDotNet", "CommandLine", "Datadog", "Elmah", "McMaster", "NLog", "OpenTelemetry", "OpenTracing",
    "Prometheus", "Sentry", "Serilog", "Spectre.Console", "Terminal.Gui", "log4net",
    "AutoBogus", "AutoFixture", "Bogus", "Bunit", "FakeItEasy", "FluentAssertions", "FsCheck", "FsUnit", "Expecto",
    "Machine.Specifications", "Moq", "NSubstitute", "NUnit", "NUnit3", "PuppeteerSharp", "ReSharperTestRunner", "RhinoMocks", "Rhino.Mocks",
    "Shouldly", "TUnit", "Testcontainers", "TechTalk", "Reqnroll", "VerifyTests", "VerifyXunit", "WireMock", "datacollector", "testcentric",
    "testhost", "vstest", "xunit",
    "0Harmony", "HarmonyLib", "PostSharp",
];
