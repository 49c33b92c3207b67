// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(JdbcSchema.class);
    }
}
