class Dotspot < Formula
  desc "{{description}}"
  homepage "{{repository}}"
  version "{{version}}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "{{url macos-arm64}}"
      sha256 "{{sha256 macos-arm64}}"
    end
    on_intel do
      url "{{url macos-x64}}"
      sha256 "{{sha256 macos-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url linux-arm64}}"
      sha256 "{{sha256 linux-arm64}}"
    end
    on_intel do
      url "{{url linux-x64}}"
      sha256 "{{sha256 linux-x64}}"
    end
  end

  def install
    bin.install "dotspot"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/dotspot.bash" => "dotspot"
    zsh_completion.install "completions/_dotspot"
    fish_completion.install "completions/dotspot.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dotspot --version")
    assert_match "nettrace", shell_output("#{bin}/dotspot formats")
  end
end
