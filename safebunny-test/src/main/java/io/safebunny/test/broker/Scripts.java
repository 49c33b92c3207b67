// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

/** The shell scripts that run in a folder of ours, under the root of the server. */
final class Scripts {

    static final String SERVE = "serve.sh";
    static final String CONTROL = "control.sh";
    static final String EPMD = "epmd.sh";

    /** The standard input is a pipe whose other end dies with the virtual machine: then the group kills itself. */
    private static final String LIFELINE = """
            exec 3<&0 </dev/null
            ( cat <&3 >/dev/null; kill -s KILL 0 ) &
            exec 3<&-
            """;

    private Scripts() {}

    /** An epmd started here belongs to the group, while one the server starts would detach itself and stay. */
    static String serve(boolean withEpmd) {
        return LIFELINE + (withEpmd ? "epmd &\n" : "") + "exec /" + ServerRoot.SERVER + "\n";
    }

    static String epmd() {
        return LIFELINE + "exec epmd\n";
    }

    static String control() {
        return "exec /" + ServerRoot.PROGRAMS + "rabbitmqctl \"$@\" </dev/null\n";
    }
}
