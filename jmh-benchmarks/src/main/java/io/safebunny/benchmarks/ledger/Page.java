// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page of the documentation with a place for the report, between two lines. */
record Page(Path file) {

    static final String BEGIN = "<!-- written by bin/bench --docs -->\n";
    static final String END = "<!-- end of what bin/bench has written -->\n";

    /** Puts the report in place of the previous one, and its plots into the folder beside the page. */
    void put(Report report) throws IOException {
        String text = Files.readString(file);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException("Cannot put the report into the page [file=%s]: add the lines '%s' and '%s' to it."
                    .formatted(file, BEGIN.strip(), END.strip()));
        }
        report.save(file.resolveSibling(Report.PLOTS));
        Files.writeString(
                file,
                text.substring(0, begin + BEGIN.length()) + "\n" + report.markdown() + "\n" + text.substring(end));
    }
}
