// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The root folder of an installed server, and how to run a script under it: directly, or by chroot in a mount namespace. */
public record ServerRoot(Path path) {

    static final String PROGRAMS = "usr/lib/rabbitmq/bin/";
    public static final String SERVER = PROGRAMS + "rabbitmq-server";
    public static final Path THE_MACHINE = Path.of("/");

    private static final Path FOLDER_UNDER_CHROOT = Path.of("/srv");

    // arguments: the root, the folder, and the script with its own arguments
    private static final String ENTER = """
            mount --rbind /proc "$1/proc"
            mount --rbind /dev "$1/dev"
            mount --bind "$2" "$1%s"
            root=$1
            shift 2
            exec chroot "$root" sh "$@"
            """.formatted(FOLDER_UNDER_CHROOT);

    public ServerRoot(Path path) {
        this.path = path.toAbsolutePath().normalize();
    }

    public boolean hasServer() {
        return Files.exists(path.resolve(SERVER));
    }

    /** The path of the folder, as seen from inside this root. */
    public Path seen(Path folder) {
        return isTheMachine() ? folder : FOLDER_UNDER_CHROOT;
    }

    /** The command that runs a script of the folder in its own session. */
    public List<String> command(Path folder, String script, String... arguments) {
        List<String> command = new ArrayList<>(List.of("setsid", "sh"));
        if (!isTheMachine()) {
            // a plain user becomes root in a user namespace, which is enough to mount and chroot in it
            String namespaces = isSuperuser() ? "--mount" : "--mount --map-root-user";
            String enter = "exec unshare " + namespaces + " sh -ec '" + ENTER + "' sh \"$@\"";
            command.addAll(List.of("-c", enter, "sh", path.toString(), folder.toString()));
        }
        command.add(seen(folder).resolve(script).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private boolean isTheMachine() {
        return path.equals(THE_MACHINE);
    }

    private static boolean isSuperuser() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
