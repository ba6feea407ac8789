package httpapi

var (
	figureConnections = gauge("http_connections", "connections of clients that are open")
	figureMostConns   = gauge("http_connections_limit", "connections of clients that may be open")
	figureRefused     = counter("http_connections_refused_total", "connections that were closed at once, as their client or all together had too many")
	figureEvicted     = counter("http_connections_evicted_total", "connections that were closed for those of clients with fewer")
	figureWrongTokens = counter("http_wrong_tokens_total", "requests with a token that is none of this server's")
	figureCut         = counter("http_answers_cut_total", "answers that were broken off because they were not read while others waited")
)

func (l *Limits) collect(send func(figure, float64, ...string)) {
	send(figureWrongTokens, float64(l.failures.Count()))
	send(figureCut, float64(l.searches.cuts.Load()))
	if l.listener == nil {
		return
	}
	s := l.listener.Stats()
	send(figureConnections, float64(s.Open))
	send(figureMostConns, float64(s.Total))
	send(figureRefused, float64(s.Rejected))
	send(figureEvicted, float64(s.Evicted))
}
