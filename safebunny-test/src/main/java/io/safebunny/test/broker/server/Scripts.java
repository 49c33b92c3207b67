// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

/** Shell scripts that run in the node's folder, under the server's root. */
public final class Scripts {

    public static final String SERVE = "serve.sh";
    public static final String CONTROL = "control.sh";
    static final String EPMD = "epmd.sh";

    /** Standard input is a pipe that breaks when the JVM ends; the group then kills itself. */
    private static final String LIFELINE = """
            exec 3<&0 </dev/null
            ( cat <&3 >/dev/null; kill -s KILL 0 ) &
            exec 3<&-
            """;

    private Scripts() {}

    /**
     * The script that starts the server. With {@code withEpmd} it starts epmd first: that one belongs to the group, while an epmd started
     * by the server would detach itself and stay.
     */
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
