{ pkgs ? import <nixpkgs> { } }:

let
  sources = {
    x86_64-linux = {
      url = "%URL%/%ARCHIVE linux-x64%";
      sha256 = "%SHA256 linux-x64%";
    };
    aarch64-linux = {
      url = "%URL%/%ARCHIVE linux-arm64%";
      sha256 = "%SHA256 linux-arm64%";
    };
    x86_64-darwin = {
      url = "%URL%/%ARCHIVE darwin-x64%";
      sha256 = "%SHA256 darwin-x64%";
    };
    aarch64-darwin = {
      url = "%URL%/%ARCHIVE darwin-arm64%";
      sha256 = "%SHA256 darwin-arm64%";
    };
  };
  isLinux = pkgs.stdenv.hostPlatform.isLinux;
in
pkgs.stdenv.mkDerivation {
  pname = "postern";
  version = "%VERSION%";
  src = pkgs.fetchurl sources.${pkgs.stdenv.hostPlatform.system};

  nativeBuildInputs = [ pkgs.installShellFiles ] ++ pkgs.lib.optionals isLinux [ pkgs.patchelf ];
  # Stripping would cut off what Bun has appended.
  dontStrip = true;

  installPhase = ''
    runHook preInstall
    install -Dm755 postern $out/bin/postern
    installManPage man/postern.1
    installShellCompletion --cmd postern --bash completions/postern.bash --zsh completions/_postern --fish completions/postern.fish
    runHook postInstall
  '';

  # Not by autoPatchelfHook: SQLite's module, which the program loads itself, is what needs the C++ library, and only an
  # RPATH, not a RUNPATH, is searched for it.
  postFixup = pkgs.lib.optionalString isLinux ''
    patchelf --set-interpreter "$(cat $NIX_CC/nix-support/dynamic-linker)" $out/bin/postern
    patchelf --force-rpath --set-rpath ${pkgs.lib.makeLibraryPath [ pkgs.stdenv.cc.cc.lib ]} $out/bin/postern
  '';

  meta = {
    description = "Email inboxes for tests, programs and agents, on your own machine";
    license = pkgs.lib.licenses.mit;
    mainProgram = "postern";
    platforms = builtins.attrNames sources;
  };
}
