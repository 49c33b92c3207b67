// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import java.util.UUID;

class H2BacklogTest extends BacklogRules {

    @Override
    String url() {
        return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    @Override
    int backlog() {
        return 500;
    }
}
