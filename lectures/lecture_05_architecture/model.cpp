// Lecture 5, the model's code.

#include "model.h"

Norm::Norm(const Choices& choices) : rms(choices.rms), weight(ones({choices.width})), bias(nn::Parameter()) {
  if (choices.biases && !rms) bias = nn::Parameter(zeros({choices.width}));
  LECTERN_REGISTER(weight, bias);
}

Tensor Norm::operator()(const Tensor& x) const {
  const Sizes features = {x.size(-1)};
  return rms ? rms_norm(x, features, weight, 1e-5) : layer_norm(x, features, weight, bias, 1e-5);
}

Tensor turned(const Tensor& x, const Tensor& angles, int64_t first_position) {
  return rotary_embedding(x, angles.narrow(0, first_position, x.size(1)));
}

// For the first 256 positions; undefined where positions are not rotary.
Tensor angles_for(const Choices& choices) {
  return choices.rotary_width() > 0 ? rotary_table(256, choices.rotary_width()) : Tensor();
}

GroupedAttention::GroupedAttention(const Choices& choices)
    : heads(choices.heads),
      kv_heads(choices.kv_heads),
      angles(angles_for(choices)),
      query(choices.width, choices.width, {.bias = choices.biases}),
      key(choices.width, choices.kv_heads * choices.head_width(), {.bias = choices.biases}),
      value(choices.width, choices.kv_heads * choices.head_width(), {.bias = choices.biases}),
      out(choices.width, choices.width, {.bias = choices.biases}) {
  LECTERN_REGISTER(query, key, value, out);
}

// [batch, time, heads · k] as [batch, time, heads, k], and back from [batch, heads, time, k].
Tensor in_heads(const Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1});
}
Tensor joined(const Tensor& x) {
  return x.transpose(1, 2).flatten(2);
}

GroupedAttention::Projected GroupedAttention::projected(const Tensor& x, int64_t before) const {
  Tensor q = in_heads(query(x), heads), k = in_heads(key(x), kv_heads);
  const Tensor v = in_heads(value(x), kv_heads);
  if (angles.defined()) {
    q = turned(q, angles, before);
    k = turned(k, angles, before);
  }
  return {q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)};
}

Tensor GroupedAttention::operator()(const Tensor& x) const {
  const auto [q, k, v] = projected(x, 0);
  return out(joined(scaled_dot_product_attention(q, k, v, {.is_causal = true, .enable_gqa = heads != kv_heads})));
}

Tensor GroupedAttention::operator()(const Tensor& x, nn::KeyValueCache& cache) const {
  const auto [q, k, v] = projected(x, cache.length());
  return out(joined(cache.attend(q, k, v)));
}

LatentAttention::LatentAttention(const Choices& choices)
    : heads(choices.heads),
      angles(angles_for(choices)),
      query(choices.width, choices.width, {.bias = false}),
      down(choices.width, choices.latent, {.bias = false}),
      key(choices.latent, choices.width, {.bias = false}),
      value(choices.latent, choices.width, {.bias = false}),
      out(choices.width, choices.width, {.bias = false}),
      rotary_query(choices.width, choices.heads * choices.rotary_width(), {.bias = false}),
      rotary_key(choices.width, choices.rotary_width(), {.bias = false}) {
  LECTERN_REGISTER(query, down, key, value, out, rotary_query, rotary_key);
}

Tensor LatentAttention::operator()(const Tensor& x) const {
  const Tensor latent = down(x);  // this has to be kept of a token, and its rotary key
  Tensor q = in_heads(query(x), heads), k = in_heads(key(latent), heads);
  const Tensor v = in_heads(value(latent), heads);
  if (angles.defined()) {  // one key of positions for all heads
    const Tensor place = turned(rotary_key(x).unsqueeze(2), angles);
    q = cat({q, turned(in_heads(rotary_query(x), heads), angles)}, -1);
    k = cat({k, place.expand({-1, -1, heads, -1})}, -1);
  }
  return out(joined(
      scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), {.is_causal = true})));
}

FeedForward::FeedForward(const Choices& choices)
    : up(choices.width, choices.hidden, {.bias = choices.biases}),
      gate(choices.width, choices.gated ? choices.hidden : 0, {.bias = choices.biases}),
      down(choices.hidden, choices.width, {.bias = choices.biases}),
      is_gated(choices.gated) {
  LECTERN_REGISTER(up, down);
  if (is_gated) LECTERN_REGISTER(gate);
}

Tensor FeedForward::operator()(const Tensor& x) const {
  return is_gated ? down(silu(gate(x)) * up(x)) : down(gelu(up(x)));
}

Experts::Experts(const Choices& choices)
    : chosen(choices.chosen), router(choices.width, choices.experts, {.bias = false}), each(choices.experts, choices) {
  LECTERN_REGISTER(router, each);
}

Tensor Experts::operator()(const Tensor& x) const {
  const Tensor rows = x.flatten(0, 1);  // a row for each token
  const Tensor p = softmax(router(rows), -1);
  const auto [largest, which] = topk(p, chosen);  // both [tokens, chosen]
  const Tensor share = chosen > 1 ? largest / largest.sum({-1}, true) : largest;
  Tensor sum = zeros_like(rows);
  std::vector<int64_t> counts;
  for (int64_t e = 0; e < static_cast<int64_t>(each.size()); ++e) {
    const Tensor places = nonzero(which == e);  // of the tokens that chose expert e: row and rank
    const Tensor row = places.select(1, 0);
    counts.push_back(row.numel());
    if (row.numel() == 0) continue;
    const Tensor weight = share.index({row, places.select(1, 1)}).unsqueeze(1);
    sum = sum.index_add(0, row, each[static_cast<std::size_t>(e)](rows.index_select(0, row)) * weight);
  }
  load = tensor(counts);
  const Tensor fraction = load.to(float32) / static_cast<double>(which.numel());
  balance = static_cast<double>(each.size()) * (fraction * p.mean({0})).sum();
  return sum.view_as(x);
}

Block::Block(const Choices& choices) : post_norm(choices.post_norm), norm1(choices), norm2(choices) {
  LECTERN_REGISTER(norm1, norm2);
  if (choices.latent > 0) {
    register_module("attention", latent = std::make_shared<LatentAttention>(choices));
  } else {
    register_module("attention", grouped = std::make_shared<GroupedAttention>(choices));
  }
  if (choices.experts > 1) {
    register_module("feed_forward", sparse = std::make_shared<Experts>(choices));
  } else {
    register_module("feed_forward", dense = std::make_shared<FeedForward>(choices));
  }
}

Tensor Block::operator()(const Tensor& x) const {
  const auto attention = [this](const Tensor& in) { return latent ? (*latent)(in) : (*grouped)(in); };
  const auto feed_forward = [this](const Tensor& in) { return sparse ? (*sparse)(in) : (*dense)(in); };
  if (post_norm) {
    const Tensor attended = norm1(x + attention(x));
    return norm2(attended + feed_forward(attended));
  }
  const Tensor attended = x + attention(norm1(x));
  return attended + feed_forward(norm2(attended));
}

Transformer::Transformer(const Choices& of)
    : choices(of),
      tokens(choices.vocabulary, choices.width),
      places(choices.positions == Positions::learned ? choices.context : 0, choices.width),
      blocks(choices.layers, choices),
      norm(choices),
      head(choices.width, choices.vocabulary, {.bias = false}) {
  if (choices.tied) head = nn::Linear(tokens.weight);
  LECTERN_REGISTER(tokens, blocks, head);
  if (places.num_embeddings() > 0) LECTERN_REGISTER(places);
  if (!choices.post_norm) LECTERN_REGISTER(norm);
  for (const auto& [name, parameter] : named_parameters()) {
    if (parameter.dim() != 2) continue;
    const bool looked_up = name == "tokens.weight" || name == "places.weight" || name == "head.weight";
    nn::init::normal_(parameter, 0, looked_up ? 0.05 : 1 / std::sqrt(static_cast<double>(parameter.size(1))));
  }
  for (const auto& [name, parameter] : named_parameters()) {
    if (name.ends_with("bias")) nn::init::zeros_(parameter);
  }
}

Tensor Transformer::operator()(const Tensor& input) const {
  Tensor x = tokens(input);
  if (choices.positions == Positions::learned) x = x + places(arange(input.size(1)));
  for (const Block& block : blocks) x = block(x);
  return head(choices.post_norm ? x : norm(x));
}

Tensor loss_of(const Transformer& model, const Tensor& inputs, const Tensor& targets) {
  return cross_entropy(model(inputs).flatten(0, 1), targets.flatten());
}

Transformer seeded(const Choices& choices, std::uint64_t seed) {
  manual_seed(seed);
  return Transformer(choices);
}
