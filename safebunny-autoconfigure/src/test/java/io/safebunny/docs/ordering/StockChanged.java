// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.ordering;

import io.safebunny.BunnyMessage;

@BunnyMessage(orderBy = "article")
record StockChanged(String article, int left) {}
