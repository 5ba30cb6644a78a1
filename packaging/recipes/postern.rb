class Postern < Formula
  desc "Email inboxes for tests, programs and agents, on your own machine"
  homepage "%URL%"
  version "%VERSION%"
  license "MIT"

  on_macos do
    on_arm do
      url "%URL%/%ARCHIVE darwin-arm64%"
      sha256 "%SHA256 darwin-arm64%"
    end
    on_intel do
      url "%URL%/%ARCHIVE darwin-x64%"
      sha256 "%SHA256 darwin-x64%"
    end
  end

  on_linux do
    on_arm do
      url "%URL%/%ARCHIVE linux-arm64%"
      sha256 "%SHA256 linux-arm64%"
    end
    on_intel do
      url "%URL%/%ARCHIVE linux-x64%"
      sha256 "%SHA256 linux-x64%"
    end
  end

  def install
    bin.install "postern"
    man1.install "man/postern.1"
    bash_completion.install "completions/postern.bash" => "postern"
    zsh_completion.install "completions/_postern"
    fish_completion.install "completions/postern.fish"
  end

  service do
    run [opt_bin/"postern", "serve", "--data-dir", var/"postern"]
    keep_alive true
    # The link that sets the first password is in it.
    log_path var/"log/postern.log"
    error_log_path var/"log/postern.log"
  end

  def caveats
    <<~EOS
      For test mail:  postern capture
      As a service:   brew services start postern
        its mail is in #{var}/postern, and the link that sets the first password in #{var}/log/postern.log
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/postern version")
  end
end
